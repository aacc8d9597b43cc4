/* SPDX-License-Identifier: Apache-2.0 */
/* Writes plans as rows. */
#include "report/search_csv.h"

#include "base/file.h"
#include "report/csv_cell.h"

#include <string.h>

/* The value of @name among "name=value" @settings; NULL where it is not varied. */
static const char *
value_of(char *const *settings, const char *name)
{
    gsize length = strlen(name);
    for (; *settings != NULL; settings++)
        if (strncmp(*settings, name, length) == 0 && (*settings)[length] == '=')
            return *settings + length + 1;
    return NULL;
}

/* What any of the plans varies, in the order in which it is met. */
static GPtrArray *
find_names(const LpSearchReport *self)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->result->runs->len; i++) {
        const LpSearchRun *run = &g_array_index(self->result->runs, LpSearchRun, i);
        g_auto(GStrv) settings = lp_search_space_settings(self->space, &run->plan);
        for (char **setting = settings; *setting != NULL; setting++) {
            g_autofree char *name = g_strndup(*setting, strcspn(*setting, "="));
            if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
                g_ptr_array_add(names, g_steal_pointer(&name));
        }
    }
    return names;
}

static void
add_row(GString *text, const LpSearchReport *self, guint index, const GPtrArray *names)
{
    const LpSearchRun *run = &g_array_index(self->result->runs, LpSearchRun, index);
    const LpMachine *machine = self->space->machines[run->plan.machine];
    g_auto(GStrv) settings = lp_search_space_settings(self->space, &run->plan);
    lp_csv_add_count(text, index + 1);
    lp_csv_add_text(text, lp_file_label(machine->path));
    lp_csv_add_count(text, machine->n_accelerators);
    for (guint i = 0; i < names->len; i++)
        lp_csv_add_text(text, value_of(settings, names->pdata[i]));
    lp_csv_add_number(text, run->time_s);
    lp_csv_add_number(text, run->plan.memory_bytes);
    lp_csv_add_number(text, run->plan.closed_s);
    lp_csv_add_number(text, run->plan.bound_s);
    lp_csv_add_text(text, run->is_on_front ? "yes" : "no");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_csv_add_number(text, run->terms.s[term]);
    g_string_append_c(text, '\n');
}

char *
lp_search_report_to_csv(const LpSearchReport *self)
{
    g_autoptr(GPtrArray) names = find_names(self);
    GString *text = g_string_new("rank,platform,accelerators");
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, ",%s", (const char *)names->pdata[i]);
    g_string_append(text, ",iteration_time_s,memory_bytes,closed_form_s,bound_s,on_front");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        g_string_append_printf(text, ",%s_s", lp_term_names[term]);
    g_string_append_c(text, '\n');
    for (guint i = 0; i < self->result->runs->len; i++)
        add_row(text, self, i, names);
    return g_string_free(text, FALSE);
}
