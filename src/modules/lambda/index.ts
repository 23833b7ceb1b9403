import { HttpModule } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { FunctionsModule } from '../functions/index.js';
import { LabelsModule } from '../labels/index.js';
import { MediaModule } from '../media/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { FrameImages } from './frame-images.js';
import { FunctionCalls } from './function-calls.js';
import { FunctionClient } from './http-functions/function-client.js';
import { FunctionSources } from './http-functions/function-sources.js';
import { HttpFunctions } from './http-functions/http-functions.js';
import { LambdaController } from './lambda.controller.js';
import { LambdaFunctions } from './lambda-functions.js';
import { LambdaTargets } from './lambda-targets.js';
import { NativeFunctions } from './native-functions/native-functions.js';
import { AnnotateHandler } from './requests/annotate.handler.js';
import { Detection } from './requests/detection.js';
import { FramesToAnnotate } from './requests/frames-to-annotate.js';
import { FunctionRequestController } from './requests/function-request.controller.js';
import { ANNOTATE, FunctionRequestRepository } from './requests/function-request.repository.js';
import { FunctionRequests, RequestQueue } from './requests/function-requests.js';
import { ReidJoining } from './requests/reid-joining.js';
import { TrackerStates } from './tracker-states.js';

declareRequestEvents([ANNOTATE]);

/** Functions that annotate: lists them, calls them for clients, and lets them annotate whole tasks. */
@Module({
  imports: [AnnotationsModule, FunctionsModule, HttpModule, LabelsModule, MediaModule, RequestsModule],
  controllers: [LambdaController, FunctionRequestController],
  providers: [
    AnnotateHandler,
    Detection,
    FrameImages,
    FramesToAnnotate,
    FunctionCalls,
    FunctionClient,
    FunctionRequestRepository,
    FunctionRequests,
    FunctionSources,
    HttpFunctions,
    LambdaFunctions,
    LambdaTargets,
    NativeFunctions,
    ReidJoining,
    RequestQueue,
    TrackerStates,
  ],
})
export class LambdaModule {}
