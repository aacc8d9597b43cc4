/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of option tables that several subcommands have, in the same words. @place: where the text
 * of the option goes, or whether it was given. */
#pragma once

#include <glib.h>

/** The argument: "flow" or "message". */
#define LP_ROW_FIDELITY(place)                                                                     \
    {                                                                                              \
        "fidelity", 0, 0, G_OPTION_ARG_STRING, place,                                              \
            "A collective as one flow a neighbour (flow, default), or each step as a message",     \
            "flow|message"                                                                         \
    }
/** "on" or "off". */
#define LP_ROW_COLLAPSE(place)                                                                     \
    {                                                                                              \
        "collapse", 0, 0, G_OPTION_ARG_STRING, place,                                              \
            "Leave out events that provably cannot matter (default on)", "on|off"                  \
    }
/** The option --collapse with "approximate" as a third value. */
#define LP_ROW_COLLAPSE_IN_DETAIL(place)                                                           \
    {                                                                                              \
        "collapse", 0, 0, G_OPTION_ARG_STRING, place,                                              \
            "Leave out events that provably cannot matter (default on), or that hardly do",        \
            "on|off|approximate"                                                                   \
    }
/** An array of "NAME=VALUE". */
#define LP_ROW_SET(place)                                                                          \
    {                                                                                              \
        "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, place,                                             \
            "Override an attribute of the workload; may be given again", "NAME=VALUE"              \
    }
/** A framework's name, lp_plan_arguments_read(). */
#define LP_ROW_FRAMEWORK(place)                                                                    \
    {                                                                                              \
        "framework", 0, 0, G_OPTION_ARG_STRING, place,                                             \
            "Whose software runs, as --set framework=NAME; what the file or --set says beats its " \
            "defaults",                                                                            \
            "NAME"                                                                                 \
    }
/** A size, lp_plan_arguments_read(). */
#define LP_ROW_MEMORY_RESERVE(place)                                                               \
    {                                                                                              \
        "memory-reserve", 0, 0, G_OPTION_ARG_STRING, place,                                        \
            "What stays free of an accelerator's memory beside tensors (docs/guide.md)", "SIZE"    \
    }
/** "file" or "fit". */
#define LP_ROW_PLAN(place)                                                                         \
    {                                                                                              \
        "plan", 0, 0, G_OPTION_ARG_STRING, place,                                                  \
            "The file's plan (default), or one with dp, micro-batch and global-batch that fill "   \
            "the machine",                                                                         \
            "file|fit"                                                                             \
    }
/** "text" or "json": lp_format_parse(). */
#define LP_ROW_FORMAT(place)                                                                       \
    {                                                                                              \
        "format", 0, 0, G_OPTION_ARG_STRING, place, "Output format (default text)", "text|json"    \
    }
/** Whose words: lp_export_parse(). */
#define LP_ROW_EXPORT(place)                                                                       \
    {                                                                                              \
        "export", 0, 0, G_OPTION_ARG_STRING, place,                                                \
            "In place of the report: the plan as arguments, TOML or JSON of that software",        \
            "megatron|torchtitan|deepspeed"                                                        \
    }
/** A gboolean. */
#define LP_ROW_IGNORE_MEMORY(place)                                                                \
    {                                                                                              \
        "ignore-memory", 0, 0, G_OPTION_ARG_NONE, place,                                           \
            "Simulate a plan that does not fit in memory", NULL                                    \
    }
/** A gboolean. */
#define LP_ROW_VERBOSE(place)                                                                      \
    {                                                                                              \
        "verbose", 0, 0, G_OPTION_ARG_NONE, place,                                                 \
            "Show the whole plan, defaults included, and where each value comes from", NULL        \
    }
