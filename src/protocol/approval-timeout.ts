import * as z from "zod/mini";
import { APPROVAL_LIMITS } from "./time.ts";

/** How long an approval or a form waits for an answer, in seconds. */
export const ApprovalTimeout = z.int().check(z.minimum(APPROVAL_LIMITS.shortest), z.maximum(APPROVAL_LIMITS.longest));
