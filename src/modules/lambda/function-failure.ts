import { ApiError } from '../../core/http/errors/errors.js';

/** Why a call of a function failed: the function is away, too slow, refused the call, or sent something invalid. */
export type FailureReason = 'unreachable' | 'busy' | 'timeout' | 'status' | 'invalid' | 'no-agent' | 'failed';

const STATUSES: Readonly<Record<FailureReason, number>> = {
  unreachable: 503,
  busy: 502,
  timeout: 504,
  status: 502,
  invalid: 502,
  'no-agent': 503,
  failed: 502,
};

/** A failed call of a function. It contains no URLs. */
export class FunctionFailure extends Error {
  override readonly name = 'FunctionFailure';

  /** @param what a clause that continues "The function x …" */
  constructor(
    readonly reason: FailureReason,
    readonly what: string,
  ) {
    super(what);
  }

  /** Whether the same call may succeed later. */
  get isTemporary(): boolean {
    return this.reason === 'unreachable' || this.reason === 'busy';
  }

  sentence(functionName: string): string {
    return `The function "${functionName}" ${this.what}.`;
  }

  /** The status of the function itself is not passed on: a 401 would log the client out. */
  toApiError(functionName: string): ApiError {
    return new ApiError(STATUSES[this.reason], this.sentence(functionName));
  }
}
