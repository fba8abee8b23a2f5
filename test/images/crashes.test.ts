// kill -9 during image calls: a sample of `npm run torture`; torture/sizes.ts says how large.
import { crashImages } from '../../torture/scenarios/crash-images.ts'
import { testSample } from '../support/torture-sample.ts'

testSample([crashImages])
