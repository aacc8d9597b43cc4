/* SPDX-License-Identifier: Apache-2.0 */
/* Lightpath as a library.
 *
 * A program loads a workload and a machine, changes what it wants to study, and simulates one
 * training iteration or estimates it with the closed form:
 *
 *     char *error = NULL;
 *     LpWorkload *workload = lp_workload_load("llama-3-8b", &error);
 *     LpMachine *machine = lp_machine_generate("dgx-h100", 64, &error);
 *     lp_workload_set(workload, "dp", "32", &error);
 *     LpResult *result = lp_simulate(workload, machine, NULL, &error);
 *     printf("%g s\n", lp_result_number(result, "/simulated/iteration_time_s"));
 *
 *     cc program.c $(pkg-config --cflags --libs lightpath)
 *
 * How it works. SimGrid can be started once in a process and wants a process without other threads.
 * The library therefore starts the program "lightpath serve", which has read all shipped files, and
 * which forks for each run. A call waits for its run; calls from several threads run side by side,
 * with a program each. They end with the process that uses the library. The program is the one
 * installed beside the library; the environment variable LIGHTPATH_PROGRAM names another.
 *
 * Errors. A function that fails returns NULL or -1 and sets *@out_error, if @out_error is not NULL,
 * to one line of text (where, what it got, what it wanted), which the caller frees by lp_free().
 * A success leaves it alone.
 *
 * Threads. All functions may be called from any thread, and run side by side. An object that is
 * changed or freed may be used by one thread at a time; what nobody changes, results above all, may
 * be used by several. After a fork both processes may go on calling, but a call that was under way
 * is the parent's. As everywhere, no thread may change the environment (setenv()) meanwhile.
 *
 * Stability. While the major version is 0, a new minor version may change functions and JSON keys.
 * From 1.0 on neither changes within a major version; what is added has a new name.
 */
#ifndef LIGHTPATH_H
#define LIGHTPATH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- version --- */

/** The version of this header. */
#define LP_VERSION_MAJOR 1
#define LP_VERSION_MINOR 0
#define LP_VERSION_PATCH 0
#define LP_VERSION_STRING "1.0.0-rc1"

/** The version of the library, such as "1.0.0-rc1". */
const char *lp_version(void);

/** Frees a text that the library gave to the caller; NULL is nothing. */
void lp_free(char *text);

/* --- workloads --- */

/** A model and the plan to train it, with the settings of the caller. */
typedef struct LpWorkload LpWorkload;

/** The workload that @name means: a shipped one ("gpt3-175b"), or the path of a workload, a program
 * or a scenario. Errors: no such file, or what is wrong in it. Returns: an object to be freed by
 * lp_workload_free(). */
LpWorkload *lp_workload_load(const char *name, char **out_error);
/** Sets an attribute, as --set does: "tp" to "8". A later value of the same attribute replaces an
 * earlier one. Rules that join several attributes are checked when the workload is used.
 * Errors: no such attribute, or no such value. Returns: 0, or -1. */
int lp_workload_set(LpWorkload *self, const char *name, const char *value, char **out_error);
/** Frees @self; NULL is nothing. */
void lp_workload_free(LpWorkload *self);

/* --- machines --- */

/** A machine: accelerators and the networks between them. */
typedef struct LpMachine LpMachine;

/** The machine that @name means: a shipped one ("dgx-a100-1024"), or the path of a platform.
 * Errors: no such file, or what is wrong in it. Returns: an object to be freed by
 * lp_machine_free(). */
LpMachine *lp_machine_load(const char *name, char **out_error);
/** A machine of @n_accelerators of the system called @system, as "lightpath platform generate"
 * makes it. Errors: no such system, or no such number. Returns: an object to be freed by
 * lp_machine_free(). */
LpMachine *lp_machine_generate(const char *system, unsigned long n_accelerators, char **out_error);
/** Sets an option of "platform generate" of a generated machine: "oversubscription" to "4".
 * Errors: no such option or value; a machine that was loaded. The machine is then as before.
 * Returns: 0, or -1. */
int lp_machine_set(LpMachine *self, const char *option, const char *value, char **out_error);
/** Frees @self; NULL is nothing. */
void lp_machine_free(LpMachine *self);

/* --- options of a run --- */

/** How a run is made, and who is told of its progress. */
typedef struct LpOptions LpOptions;

/** Is told, some ten times a second, that @fraction of a run is done, in [0, 1], or -1 while
 * nothing is known. Called by the thread that waits for the run. Returns: 0, or anything else to
 * end the run, which then fails with "cancelled". */
typedef int (*LpProgressFunction)(double fraction, void *data);

/** No options. Returns: an object to be freed by lp_options_free(). */
LpOptions *lp_options_new(void);
/** Adds an option of the command, without its dashes: "fidelity" with "message"; @value is NULL
 * where the option takes none: "ignore-memory". What is wrong is said by the run. */
void lp_options_set(LpOptions *self, const char *name, const char *value);
/** Has @function told of the progress, with @data; NULL: nobody. */
void lp_options_set_progress(LpOptions *self, LpProgressFunction function, void *data);
/** Frees @self; NULL is nothing. */
void lp_options_free(LpOptions *self);

/* --- runs --- */

/** What a run has found. */
typedef struct LpResult LpResult;

/** Simulates one iteration of @workload on @machine, as "lightpath simulate" does.
 * @options: of that command, or NULL. Errors: what the command says; "cancelled". Returns: a result
 * to be freed by lp_result_free(). */
LpResult *lp_simulate(const LpWorkload *workload, const LpMachine *machine,
                      const LpOptions *options, char **out_error);
/** Estimates it by the closed form, as "lightpath estimate" does. The rest is as in lp_simulate().
 */
LpResult *lp_estimate(const LpWorkload *workload, const LpMachine *machine,
                      const LpOptions *options, char **out_error);
/** Runs any command that takes --format=json or is told --export=json: "search", "llama-3-8b",
 * "--system=dgx-h100",
 * "--accelerators=64". @arguments: a list that ends with NULL, without the program's name and
 * without --format. The rest is as in lp_simulate(). */
LpResult *lp_run(const char *const *arguments, const LpOptions *options, char **out_error);

/* --- results --- */

/** The number at @pointer, a JSON pointer (RFC 6901) such as "/simulated/terms_s/tp"; true is 1.
 * NaN: there is none. docs/output.schema.json names the keys; values are in SI units. */
double lp_result_number(const LpResult *self, const char *pointer);
/** The text at @pointer; NULL: there is none. Borrowed from @self. */
const char *lp_result_string(const LpResult *self, const char *pointer);
/** The number of members of the object or list at @pointer; -1: there is none. */
long lp_result_size(const LpResult *self, const char *pointer);
/** All of it as JSON, as --format=json prints it. Borrowed from @self. */
const char *lp_result_json(const LpResult *self);
/** All of it as the table that the command prints. The command runs once more for it: runs are
 * deterministic. Errors: as for the run. Returns: a text for lp_free(). */
char *lp_result_text(const LpResult *self, char **out_error);
/** The page that --report writes, in HTML. The command runs once more for it. Errors: as for the
 * run; a command without pages. Returns: a text for lp_free(). */
char *lp_result_page(const LpResult *self, char **out_error);
/** Frees @self; NULL is nothing. */
void lp_result_free(LpResult *self);

#ifdef __cplusplus
}
#endif

#endif
