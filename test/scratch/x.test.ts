import {test} from 'vitest';
import { services } from '../../src/model/derive/services.ts';
import { placements } from '../../src/model/derive/placements.ts';
import { jobDescriptions } from '../../src/model/derive/jobs.ts';
test('x',()=>{
for (const [p, pl] of Object.entries(placements)) { if (pl.is==='computed'||pl.is==='members') { const o=Object.entries(services).filter(([q])=>q===p||q.startsWith(p+'/{')&&q.split('/').length===p.split('/').length+1); console.log(p, pl.is, o.flatMap(([,s])=>Object.keys(s.operations).filter(n=>jobDescriptions[s.type]?.[n])).join(',')); } }

});
