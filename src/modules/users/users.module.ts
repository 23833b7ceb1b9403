import { Module } from '@nestjs/common';

/** People with an account. */
@Module({})
export class UsersModule {}
