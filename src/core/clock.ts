import { Injectable } from '@nestjs/common';

/** The only source of the present time, so that a test can move it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
