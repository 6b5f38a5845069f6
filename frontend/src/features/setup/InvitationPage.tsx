/** Where an invitation or a reset link leads: choose a password and come in. */
import { Button, PasswordInput, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getInvitationOptions } from '../../api/generated/@tanstack/react-query.gen';
import { redeemInvitation } from '../../api/generated/sdk.gen';
import type { InvitationView } from '../../api/generated/types.gen';
import { isUnknownAddress } from '../../api/problem';
import { Problem } from '../../components/Problem';
import { currentLanguage } from '../../i18n';
import { Door } from './Door';
import { useEnter } from './useEnter';

export default function InvitationPage() {
  const { t } = useTranslation();
  const { token } = useParams({ from: '/invite/$token' });
  const invitation = useQuery(getInvitationOptions({ path: { token } }));
  if (invitation.error) {
    const isUnusable = isUnknownAddress(invitation.error);
    return (
      <Door
        title={t(isUnusable ? 'setup.linkBroken' : 'common.problem')}
        text={isUnusable && t('setup.linkBrokenText')}
      >
        {isUnusable ? (
          <Button component={Link} to="/sign-in" variant="default">
            {t('setup.signIn')}
          </Button>
        ) : (
          <Problem error={invitation.error} onRetry={invitation.refetch} />
        )}
      </Door>
    );
  }
  if (!invitation.data) {
    return (
      <Door title={t('setup.oneMoment')}>
        <Skeleton height={160} />
      </Door>
    );
  }
  return <Redeem token={token} invitation={invitation.data} />;
}

function Redeem({ token, invitation }: { token: string; invitation: InvitationView }) {
  const { t } = useTranslation();
  const enter = useEnter();
  const isReset = invitation.purpose === 'reset';
  const form = useForm({
    initialValues: { name: invitation.name, password: '' },
    validate: {
      name: (value) => (value.trim() ? null : t('setup.needed')),
      password: (value) => (value.length >= 10 ? null : t('setup.passwordShort')),
    },
  });
  const redeem = useMutation({
    mutationFn: async ({ name, password }: typeof form.values) =>
      (
        await redeemInvitation({
          path: { token },
          body: isReset ? { password } : { password, name, locale: currentLanguage() },
          throwOnError: true,
        })
      ).data,
    onSuccess: (session) => enter(session, '/ask'),
  });
  return (
    <Door
      title={isReset ? t('setup.resetTitle') : t('setup.invitationTitle')}
      text={t('setup.invitationFor', { email: invitation.email })}
    >
      <form onSubmit={form.onSubmit((values) => redeem.mutate(values))} noValidate>
        <Stack>
          {!isReset && (
            <TextInput label={t('setup.name')} autoComplete="name" {...form.getInputProps('name')} />
          )}
          <input type="hidden" autoComplete="username" value={invitation.email} readOnly />
          <PasswordInput
            label={t('setup.newPassword')}
            description={t('setup.passwordHint')}
            autoComplete="new-password"
            autoFocus
            {...form.getInputProps('password')}
          />
          {redeem.error && <Problem error={redeem.error} />}
          <Button type="submit" size="md" loading={redeem.isPending}>
            {t('setup.comeIn')}
          </Button>
        </Stack>
      </form>
    </Door>
  );
}
