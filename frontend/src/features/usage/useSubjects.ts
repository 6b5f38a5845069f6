/** Names of everything a limit can be about, for choosing and for showing. */
import { useQuery } from '@tanstack/react-query';
import {
  listApiKeysOptions,
  listMembersOptions,
  listModelsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { useSourceChoices } from '../ask/sources';

/** What the server gives at once. */
const query = { limit: 500 };

export interface Named {
  value: string;
  label: string;
}

export function useSubjects() {
  const models = useQuery(listModelsOptions());
  const members = useQuery(listMembersOptions({ query }));
  const keys = useQuery(listApiKeysOptions({ query }));
  const { applications } = useSourceChoices();
  const named = {
    user: (members.data?.items ?? []).map((one) => ({ value: one.user_id, label: one.name || one.email })),
    api_key: (keys.data?.items ?? []).map((one) => ({ value: one.id, label: one.name })),
    application: applications.map((one) => ({ value: one.id, label: one.name })),
    model: (models.data?.items ?? []).map((one) => ({ value: one.id, label: one.name })),
  } satisfies Record<string, Named[]>;
  const nameOf = (kind: keyof typeof named, id: string) =>
    named[kind].find((one) => one.value === id)?.label ?? null;
  return { named, nameOf };
}
