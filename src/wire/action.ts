/** The body and the answer of an action (specification 2.3). */
import { type ActionParameter, actionParameters } from '../model/parameters.ts';
import { identity, linkMember, type Member, member, type Shape } from './shape.ts';

const gracePeriodShape: Shape = { display: 'GracePeriod', members: [member('expiry', 'int')] };

/** What every action takes and answers, whatever its parameters are. */
const always: readonly Member[] = [
  identity('href'),
  identity('id'),
  member('name', 'string'),
  member('description', 'string'),
  member('comment', 'string'),
  member('async', 'bool'),
  member('correlation_id', 'string'),
  member('reason', 'string'),
  member('status', 'enum creation_status'),
  member('fault', 'struct fault'),
  member('job', 'ref job'),
  {
    name: 'grace_period',
    wire: 'grace_period',
    attribute: false,
    content: { form: 'object', shape: () => gracePeriodShape },
  },
  linkMember,
];

const alwaysNames: ReadonlySet<string> = new Set(always.map(({ name }) => name));

let everyParameter: Shape | undefined;

const shapesByNames = new Map<string, Shape>();

/**
 * The shape of an action with the named parameters, or with all parameters that there are. Throws
 * when the model has no such parameter: a mistake in the code.
 */
export function actionShape(names?: readonly string[]): Shape {
  if (names === undefined) {
    everyParameter ??= makeShape(Object.keys(actionParameters));
    return everyParameter;
  }
  const key = names.join(' ');
  let shape = shapesByNames.get(key);
  if (!shape) {
    shape = makeShape(names);
    shapesByNames.set(key, shape);
  }
  return shape;
}

/** Plain values come before nested objects, as in all objects. */
function makeShape(names: readonly string[]): Shape {
  const parameters = names.filter((name) => !alwaysNames.has(name)).map(parameter);
  const rank = ({ name, attribute, content }: Member) => {
    if (attribute) return 0;
    if (name === 'link') return 2;
    return content.form === 'scalar' ? 1 : 3;
  };
  const members = [...always, ...parameters].sort(
    (a, b) => rank(a) - rank(b) || (a.wire < b.wire ? -1 : 1),
  );
  return { display: 'Action', members };
}

function parameter(name: string): Member {
  if (!Object.hasOwn(actionParameters, name)) {
    throw new Error(`The model has no action parameter ${name}.`);
  }
  return member(name, actionParameters[name as ActionParameter].kind);
}
