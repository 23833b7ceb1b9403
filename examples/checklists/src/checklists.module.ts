import { Module } from '@nestjs/common';
import { ProjectsModule } from 'cairn/extension';
import { ChecklistController } from './checklist.controller.js';
import { ChecklistListener } from './checklist.listener.js';
import { ChecklistRepository } from './checklist.repository.js';
import { ChecklistService } from './checklist.service.js';

@Module({
  imports: [ProjectsModule],
  controllers: [ChecklistController],
  providers: [ChecklistRepository, ChecklistService, ChecklistListener],
})
export class ChecklistsModule {}
