/** The pictures of a question, small; each opens whole in a tab of its own. */
import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import classes from './QuestionPictures.module.css';

interface Props {
  ids: string[];
  onRemove?: (id: string) => void;
}

export function QuestionPictures({ ids, onRemove }: Props) {
  const { t } = useTranslation();
  if (ids.length === 0) return null;
  return (
    <ul className={classes.pictures} aria-label={t('ask.pictures')}>
      {ids.map((id, index) => {
        const address = withWorkspace(`/api/v1/question-pictures/${id}`);
        const name = t('ask.pictureOf', { n: index + 1 });
        return (
          <li key={id} className={classes.picture}>
            <a href={address} target="_blank" rel="noreferrer">
              <img src={address} alt={name} />
            </a>
            {onRemove && (
              <ActionIcon
                className={classes.remove}
                size={22}
                radius="xl"
                variant="filled"
                color="dark"
                aria-label={t('ask.removePicture', { n: index + 1 })}
                onClick={() => onRemove(id)}
              >
                <IconX size={13} />
              </ActionIcon>
            )}
          </li>
        );
      })}
    </ul>
  );
}
