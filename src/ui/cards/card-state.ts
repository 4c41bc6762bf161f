import type { ApprovalUi } from "./approval.ts";
import type { AuthUi } from "./auth.ts";
import type { ConfirmUi } from "./confirm.ts";
import type { FormUi } from "./form.ts";

/** What a person is doing with one open card. */
export type CardUi = ApprovalUi | FormUi | AuthUi | ConfirmUi;
