/* SPDX-License-Identifier: Apache-2.0 */
/* How often parts of machines fail and what a restart takes: profiles (platforms/reliability.xml),
 * each number with its source. */
#pragma once

#include "model/reliability/goodput.h"

G_BEGIN_DECLS

/** The reliability of a kind of parts. */
typedef struct {
    gboolean is_known;
    gboolean has_count;  /**< FALSE: as many as the machine has */
    guint64 count;       /**< of the whole machine, or of a job */
    double mtbf_s;       /**< of one; INFINITY: it never fails; 0: availability says it */
    double availability; /**< 0: mtbf_s says it */
    double repair_s;     /**< negative: not known */
    double slowdown;     /**< of LP_EFFECT_SLOW; 0: not known */
    LpEffect effect;
    char *source;        /* owned: a line for people; NULL: the user's */
    char *repair_source; /* owned; NULL: none */
} LpPartReliability;

/** Numbers of a profile that are not of parts. */
typedef enum {
    LP_RELIABILITY_HOST_SIZE,         /**< accelerators of a host */
    LP_RELIABILITY_BLOCK,             /**< accelerators of a block */
    LP_RELIABILITY_DETECTION_TIME,    /**< from a failure until its parts are replaced, s */
    LP_RELIABILITY_SCHEDULING_TIME,   /**< from then until the job loads its checkpoint, s */
    LP_RELIABILITY_STORAGE_BANDWIDTH, /**< of the job's checkpoints, bytes/s */
    LP_N_RELIABILITY_SETTINGS
} LpReliabilitySetting;

/** The names of settings in files and options, NULL-ended. */
extern const char *const lp_reliability_setting_names[];

/** A setting; zeroed: not known. */
typedef struct {
    double value;
    char *source; /* owned; NULL: not known, or the user's */
} LpReliabilityNumber;

/** A profile, or several laid over each other. */
typedef struct {
    char *name; /* owned: as asked for */
    LpPartReliability part[LP_N_PARTS];
    LpReliabilityNumber setting[LP_N_RELIABILITY_SETTINGS];
} LpReliability;

/** The profiles that @names gives, parted by commas, each a shipped name or a path of a file with
 * profiles; what a later one says holds. Errors: LP_INPUT_ERROR. Returns: (transfer full). */
LpReliability *lp_reliability_load(const char *names, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_reliability_free(LpReliability *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpReliability, lp_reliability_free)

/** Changes a part as "host:availability=0.99,repair=4h" says: mtbf (a time, or "never"),
 * availability, repair, effect, count or slowdown. Errors: LP_INPUT_ERROR, "got, wanted". */
gboolean lp_reliability_set_part(LpReliability *self, const char *text,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads a setting's @text. Errors: LP_INPUT_ERROR, "got, wanted". */
gboolean lp_reliability_set(LpReliability *self, LpReliabilitySetting setting, const char *text,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The parts of a kind as the closed form and the Monte Carlo method take them, but for their
 * count. Errors: LP_INPUT_ERROR_VALUE, where a repair time or a slowdown is missing, "PART: got,
 * wanted". */
gboolean lp_reliability_parts(const LpReliability *self, LpGoodputPart part,
                              LpFailingParts *out_parts, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
