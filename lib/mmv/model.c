/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/model.h"

#include <stdlib.h>

void pu_mmv_model_free(struct pu_mmv_model *model)
{
    free(model->indoms);
    free(model->instances);
    free(model->metrics);
    free(model->values);
    free(model->labels);
    memset(model, 0, sizeof(*model));
}
