/**
 * What the error of a delivery begins with if this server refused to send it. Nothing reached the receiver, so its status,
 * which CVAT's clients need, does not come from there.
 */
export const POLICY_REFUSAL = 'Not sent: the policy of this server refuses the receiver';

export const isPolicyRefusal = (error: string | null | undefined): boolean =>
  error?.startsWith(POLICY_REFUSAL) === true;
