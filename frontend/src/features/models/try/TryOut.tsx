/** A try of a model, in the way of its kind. */
import type { ModelView, Offering } from '../../../api/generated/types.gen';
import { AskTrial } from './AskTrial';
import { FilmTrial } from './FilmTrial';
import { ListenTrial } from './ListenTrial';
import { PaintTrial } from './PaintTrial';
import { ScoreTrial } from './ScoreTrial';
import { SpeakTrial } from './SpeakTrial';

export interface TrialProps {
  model: ModelView;
  /** What the vendor offers of this kind: example voices and sizes. */
  offer: Offering | undefined;
}

export function TryOut(props: TrialProps) {
  switch (props.model.kind) {
    case 'LLM':
    case 'IMAGE':
      return <AskTrial {...props} />;
    case 'EMBEDDING':
    case 'RERANKER':
      return <ScoreTrial {...props} />;
    case 'STT':
      return <ListenTrial {...props} />;
    case 'TTS':
      return <SpeakTrial {...props} />;
    case 'TTI':
      return <PaintTrial {...props} />;
    default:
      return <FilmTrial {...props} />;
  }
}
