/** How problems begin that the summary has to tell from others. */

export const planEdited = 'the plan was edited after it was approved';
export const tasksBlocked = 'blocked';
