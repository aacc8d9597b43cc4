/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning as files that real libraries read. */
#pragma once

#include "search/tuning.h"

G_BEGIN_DECLS

/** The files that there are. */
typedef enum {
    LP_TUNING_EXPORT_NCCL,  /**< CSV of NCCL's example tuner plug-in */
    LP_TUNING_EXPORT_NCCLX, /**< CSV of the tuner that is built into NCCLX */
    LP_TUNING_EXPORT_UCC,   /**< settings of UCC's team layers */
    LP_N_TUNING_EXPORTS
} LpTuningExport;

/** "nccl-tuner", "ncclx", "ucc", NULL-ended. */
extern const char *const lp_tuning_export_names[];

/** The file for what @self has measured. Of NCCL: which of its algorithms and protocols takes least
 * for each size, whichever library is best there, since the file is for NCCL alone. Of UCC: which
 * layer calls the library that is best. Errors: LP_INPUT_ERROR, "got, wanted", where no library has
 * what the file chooses between. Returns: (transfer full). */
char *lp_tuning_export(const LpTuning *self, LpTuningExport kind,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
