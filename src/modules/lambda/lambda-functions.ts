import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { ApiError, NotFound } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import type { Actor } from '../../shared/policy/actor.js';
import { lambdaPolicy, NO_TASK } from '../../shared/policy/lambda.policy.js';
import { HttpFunctions } from './http-functions/http-functions.js';
import { type FunctionProvider, type LambdaFunction, shortened } from './lambda-function.js';
import { NativeFunctions } from './native-functions/native-functions.js';

/** The functions that an actor may use, whoever executes them. */
@Injectable()
export class LambdaFunctions {
  constructor(
    private readonly http: HttpFunctions,
    private readonly native: NativeFunctions,
  ) {}

  /** @throws ApiError 503 if there are none because their servers cannot be reached */
  async list(actor: Actor): Promise<readonly LambdaFunction[]> {
    requireAll(lambdaPolicy, ['list:functions'], actor, NO_TASK);
    const [{ functions, isComplete }, native] = await Promise.all([this.http.list(), this.native.list(actor)]);
    const all = [...functions, ...native];
    if (all.length === 0 && !isComplete) throw new ApiError(503, 'The servers of the functions cannot be reached.');
    return all;
  }

  /** @throws ApiError 404, or 503 as `find`; Forbidden */
  async get(actor: Actor, id: string): Promise<LambdaFunction> {
    requireAll(lambdaPolicy, ['view:functions'], actor, NO_TASK);
    return this.find(actor, id);
  }

  /** @throws ApiError 404, or 503 if the function may be on a server that cannot be reached; Forbidden */
  async find(actor: Actor, id: string): Promise<LambdaFunction> {
    if (/^\d+$/.test(id)) return this.findNative(actor, id);
    const { functions, isComplete } = await this.http.list();
    const found = functions.find((one) => one.id === id);
    if (found !== undefined) return found;
    throw isComplete ? unknown(id) : new ApiError(503, `The function "${shortened(id)}" cannot be reached.`);
  }

  private async findNative(actor: Actor, id: string): Promise<LambdaFunction> {
    try {
      return await this.native.get(actor, namedId(id) ?? 0);
    } catch (error) {
      throw error instanceof NotFound ? unknown(id) : error;
    }
  }

  providerOf({ provider }: LambdaFunction): FunctionProvider {
    return provider === 'native' ? this.native : this.http;
  }
}

const unknown = (id: string): ApiError => new ApiError(404, `There is no function "${shortened(id)}".`);
