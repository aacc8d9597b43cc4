/* SPDX-License-Identifier: Apache-2.0 */
/* The items of lists of kernels. Internal: model/kernels only. */
#pragma once

#include "base/xml.h"
#include "model/kernels/expression.h"
#include "model/kernels/kernel_lists.h"

G_BEGIN_DECLS

/** Sizes that one scope sets, at most. */
#define LP_SCOPE_SETTINGS_MAX 16

/** A size and what a scope sets it to. */
typedef struct {
    guint place;
    LpExpression *value; /* owned */
} LpKernelSetting;

/** Items that a list has under a name, and those that it had before they were replaced. */
typedef struct LpKernelGroup {
    GPtrArray *items;            /* owned LpKernelItem; NULL: not said */
    struct LpKernelGroup *below; /* owned */
    gboolean is_entered;         /**< while circles are looked for */
} LpKernelGroup;

/** A kernel, or a scope: settings that hold for items. */
typedef struct {
    const char *file; /* borrowed from the lists */
    guint line;
    char *name;         /* owned: of a kernel, or of those of a scope that have none; or NULL */
    LpExpression *when; /* owned; NULL: always */
    gboolean is_kernel;
    LpListedKind kind;
    LpExpression *field[LP_N_KERNEL_FIELDS]; /* owned; NULL: inherited, or 0 */
    guint n_settings;
    LpKernelSetting settings[LP_SCOPE_SETTINGS_MAX];
    GPtrArray *items;     /* owned LpKernelItem: of a scope; or NULL: */
    LpKernelGroup *group; /* borrowed: whose items it runs */
} LpKernelItem;

/** A size that is worked out where it is named. */
typedef struct {
    char *text;       /* owned */
    const char *file; /* borrowed */
    guint line;
    LpExpression *value; /* owned; NULL: not yet read */
    gboolean is_entered; /**< while it is being read */
} LpDerivedSize;

/** Divisor of a size, as texts and worked out. */
typedef struct {
    char *text[2];          /* owned: divisor, size */
    LpExpression *value[2]; /* owned */
} LpMixerDivisor;

/** A mixer: its passes stand behind those of blocks. */
typedef struct {
    char *name; /* owned */
    LpMixerExchangeKind exchange;
    LpExpression *figure[LP_N_MIXER_FIGURES]; /* owned; NULL: 0 */
    GArray *divisors;                         /* owned LpMixerDivisor */
} LpListedMixer;

struct LpKernelLists {
    const LpKernelVocabulary *vocabulary; /* borrowed, static */
    GPtrArray *files;                     /* owned: names of files, the first read first */
    GHashTable *derived;                  /* owned: name to owned LpDerivedSize */
    GHashTable *variables;                /* owned: name to place */
    GHashTable *groups;                   /* owned: name to owned LpKernelGroup */
    guint n_places;
    GError *fault;            /* owned: of derived sizes, until all are read */
    LpKernelGroup **passes;   /* owned: by block and pass */
    LpExpression **whens;     /* owned: by block, whether a layer has it; NULL: always */
    GPtrArray *mixers;        /* owned LpListedMixer */
    guint n_blocks, n_passes; /**< blocks: those of the vocabulary, and behind them mixers */
};

/** The group of @block in @pass. */
static inline LpKernelGroup **
lp_kernel_lists_pass(const LpKernelLists *self, guint block, guint pass)
{
    return &self->passes[block * self->n_passes + pass];
}

void lp_kernel_item_free(gpointer item);
void lp_kernel_group_free(gpointer group);

/** Sets to 0 what only lists set. */
void lp_kernel_lists_clear(const LpKernelLists *self, double *values);
void lp_listed_mixer_free(gpointer mixer);
/** Adds a mixer called @name, unless there is one, and room for its passes. */
void lp_kernel_lists_add_mixer(LpKernelLists *lists, const char *name);

/** Finds @name in @lists, an LpKernelLists; an LpExpressionFind. A derived size is read where it is
 * first named. */
gboolean lp_kernel_names_find(gpointer lists, const char *name, LpExpressionName *out);
/** Reads all derived sizes. Errors: LP_INPUT_ERROR, "FILE:LINE: ...". */
gboolean lp_kernel_names_read(LpKernelLists *lists, GError **error);
/** Notes the names of all sizes and groups of @xml, so that what stands above may use what stands
 * below, and lists those of others laid over them. @file: borrowed by @lists. Errors:
 * LP_INPUT_ERROR, "FILE:LINE: ...". */
gboolean lp_kernel_reader_declare(LpKernelLists *lists, const LpXml *xml, const char *file,
                                  GError **error);
/** Reads its groups and blocks, once the names of all files are there. */
gboolean lp_kernel_reader_read(LpKernelLists *lists, const LpXml *xml, const char *file,
                               GError **error);

G_END_DECLS
