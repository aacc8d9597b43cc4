/* SPDX-License-Identifier: Apache-2.0 */
/* Brings home what children found in their parts: counts, plans, and reasons of refusal. */
#include "search/search_parts.h"

#include "base/child_process.h"

#include <string.h>

/* What a part found, as bytes: this, its plans, and of each refusal n, attribute and message. */
typedef struct {
    guint64 n_considered, n_refused_memory;
    double least_lacking_bytes;
    LpSearchPlan nearest;
    guint n_plans, n_refusals;
} Found;

typedef struct {
    const LpSearchParts *parts; /* borrowed */
    const LpSearchSpace *whole; /* borrowed */
    guint index;
} Part;

/* Walks through a part of the space, in the child. */
static gboolean
walk_part(const void *data, GByteArray *result, GError **error)
{
    (void)error;
    const Part *self = data;
    LpSearchSpace *space = lp_search_space_new_part(self->whole);
    self->parts->walk(space, self->index, self->parts->data);
    Found found = {.n_considered = space->n_considered,
                   .n_refused_memory = space->n_refused_memory,
                   .least_lacking_bytes = space->least_lacking_bytes,
                   .nearest = space->nearest,
                   .n_plans = space->plans->len,
                   .n_refusals = space->refusals->len};
    g_byte_array_append(result, (const guint8 *)&found, sizeof found);
    g_byte_array_append(result, (const guint8 *)space->plans->data,
                        (guint)sizeof(LpSearchPlan) * found.n_plans);
    for (guint i = 0; i < found.n_refusals; i++) {
        const LpSearchRefusal *refusal = &g_array_index(space->refusals, LpSearchRefusal, i);
        g_byte_array_append(result, (const guint8 *)&refusal->n, sizeof refusal->n);
        g_byte_array_append(result, (const guint8 *)refusal->attribute,
                            (guint)strlen(refusal->attribute) + 1);
        g_byte_array_append(result, (const guint8 *)refusal->message,
                            (guint)strlen(refusal->message) + 1);
    }
    lp_search_space_free(space);
    return TRUE;
}

static void
add_found(LpSearchSpace *self, const guint8 *bytes)
{
    Found found;
    memcpy(&found, bytes, sizeof found);
    bytes += sizeof found;
    self->n_considered += found.n_considered;
    self->n_refused_memory += found.n_refused_memory;
    if (found.least_lacking_bytes < self->least_lacking_bytes) {
        self->least_lacking_bytes = found.least_lacking_bytes;
        self->nearest = found.nearest;
    }
    guint first = self->plans->len;
    g_array_append_vals(self->plans, bytes, found.n_plans);
    for (guint i = first; i < self->plans->len; i++)
        g_array_index(self->plans, LpSearchPlan, i).index = i;
    bytes += sizeof(LpSearchPlan) * found.n_plans;
    for (guint i = 0; i < found.n_refusals; i++) {
        guint64 n;
        memcpy(&n, bytes, sizeof n);
        const char *attribute = (const char *)bytes + sizeof n;
        const char *message = attribute + strlen(attribute) + 1;
        lp_search_space_add_refusal(self, attribute, message, n);
        bytes = (const guint8 *)message + strlen(message) + 1;
    }
}

static void
tell(const LpSearchParts *self, const LpSearchSpace *space)
{
    if (self->progress != NULL)
        self->progress((double)space->n_considered, self->n_all, self->progress_data);
}

/* Starts children while there is room; those before @n_done are home. */
static gboolean
start(const LpSearchParts *self, const LpSearchSpace *space, LpChildProcess **children,
      guint n_done, guint *io_n_started, GError **error)
{
    guint n_running = 0;
    for (guint i = n_done; i < *io_n_started; i++)
        n_running += lp_child_process_has_ended(children[i]) ? 0 : 1;
    for (; n_running < self->n_at_once && *io_n_started < self->n; n_running++) {
        Part part = {self, space, *io_n_started};
        LpChildProcess *child = lp_child_process_start("search", walk_part, &part, 0, error);
        if (child == NULL)
            return FALSE;
        children[(*io_n_started)++] = child;
    }
    return TRUE;
}

/* What an ended child left is added to @space. */
static gboolean
bring_home(LpSearchSpace *space, LpChildProcess *child, GError **error)
{
    if (!lp_child_process_check(child, error))
        return FALSE;
    add_found(space, lp_child_process_result(child)->data);
    return TRUE;
}

static gboolean
run_apart(const LpSearchParts *self, LpSearchSpace *space, LpChildProcess **children,
          GError **error)
{
    guint n_started = 0;
    for (guint n_done = 0; n_done < self->n;) {
        if (!start(self, space, children, n_done, &n_started, error))
            return FALSE;
        if (!lp_child_process_has_ended(children[n_done])) {
            lp_child_process_wait_any(children, n_started, -1);
            continue;
        }
        if (!bring_home(space, children[n_done], error))
            return FALSE;
        g_clear_pointer(&children[n_done++], lp_child_process_free);
        tell(self, space);
    }
    return TRUE;
}

gboolean
lp_search_parts_run(const LpSearchParts *self, LpSearchSpace *space, GError **error)
{
    if (self->n_at_once > 1 && self->n > 1) {
        g_autofree LpChildProcess **children = g_new0(LpChildProcess *, self->n);
        gboolean good = run_apart(self, space, children, error);
        for (guint i = 0; i < self->n; i++)
            lp_child_process_free(children[i]);
        return good;
    }
    for (guint i = 0; i < self->n; i++) {
        self->walk(space, i, self->data);
        tell(self, space);
    }
    return TRUE;
}
