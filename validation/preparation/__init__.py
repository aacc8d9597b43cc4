# SPDX-License-Identifier: Apache-2.0
"""Restates measured rows whose columns are a table's own as attributes of a workload and options of a machine."""
