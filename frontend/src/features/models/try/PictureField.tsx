/** A picture to send along, with a look at it. */
import { FileInput, Image } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../../i18n/format';
import { maxPictureBytes, pictureTypes } from './files';
import { useObjectUrl } from './useObjectUrl';

interface Props {
  picture: File | null;
  onPicture: (picture: File | null) => void;
  required?: boolean;
}

export function PictureField({ picture, onPicture, required = false }: Props) {
  const { t } = useTranslation();
  const url = useObjectUrl(picture);
  const isTooLarge = picture !== null && picture.size > maxPictureBytes;
  return (
    <>
      <FileInput
        label={t('models.try.picture')}
        placeholder={t('models.try.choosePicture')}
        leftSection={<IconPhoto size={16} />}
        accept={pictureTypes}
        clearable
        clearButtonProps={{ 'aria-label': t('common.clear') }}
        withAsterisk={required}
        value={picture}
        onChange={onPicture}
        error={isTooLarge ? t('models.try.tooLarge', { size: formatBytes(maxPictureBytes) }) : null}
      />
      {url && <Image src={url} alt={picture?.name ?? ''} mah={180} w="auto" fit="contain" radius="md" />}
    </>
  );
}
