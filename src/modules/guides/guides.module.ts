import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { TasksModule } from '../tasks/index.js';
import { GuideController } from './guide.controller.js';
import { GuideRepository } from './guide.repository.js';
import { GuideService } from './guide.service.js';

@Module({
  imports: [ProjectsModule, TasksModule],
  controllers: [GuideController],
  providers: [GuideRepository, GuideService],
})
export class GuidesModule {}
