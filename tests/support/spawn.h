/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program under test, named by LIGHTPATH: a simulation needs a process of its own. */
#pragma once

#include "base/json.h"

/** What a command left behind. */
typedef struct {
    int status;      /**< exit status; -1 if it did not exit */
    char *output;    /* owned */
    char *complaint; /* owned: what it wrote to stderr */
} LpSpawned;

/** Runs lightpath with the words of @line and then those of @rest (either may be NULL). */
LpSpawned lp_spawn(const char *line, const char *rest);
/** The same, of a program that is started for it and so has addresses of its own, whatever the
 * test says of its commands (FORKED in cmake/tests.cmake). */
LpSpawned lp_spawn_started(const char *line, const char *rest);
void lp_spawned_clear(LpSpawned *self);

/** Asserts that lightpath with these words ends with @status, prints nothing, and complains in one
 * line that contains @part. @label: NULL: @line. */
void lp_spawn_refused(const char *label, const char *line, int status, const char *part);

/** The JSON that the command prints. A failure is a failed assertion that shows @line and the
 * complaint. Returns: (transfer full), NULL on failure. */
json_t *lp_spawn_json(const char *line, const char *rest);

/** Simulates gpt3-175b on @platform with "--set" before each word of @settings, and the options
 * @options. */
json_t *lp_spawn_simulate(const char *platform, const char *settings, const char *options);

/** Writes a generated platform to a new file. Returns: (transfer full) its path. */
char *lp_spawn_platform(const char *options);

/** The number at "a.b.c" below @node. */
double lp_test_json_number(const json_t *node, const char *path);
