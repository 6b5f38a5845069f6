"""What can go wrong with a model, sorted by what helps."""

from refdesk.kit.errors import AppError, Conflict, Invalid, NotFound


class ModelError(AppError):
    """A call to a model failed. `details` may hold `model`, `status_code`, `vendor_message`."""

    code = "model-error"
    status = 502
    message = "The model could not answer."


class ModelAuthentication(ModelError):
    """The vendor refused the key."""

    code = "model-authentication"
    message = "The model's vendor refused the key."
    hint = "Check the API key of the model, and that it may use this model."


class ModelNotThere(ModelError):
    """The vendor does not know the model or the address."""

    code = "model-not-found"
    message = "The vendor knows no such model at this address."
    hint = "Check the model's name and that the base URL ends where the vendor says, often in /v1."


class ModelRefused(ModelError):
    """The vendor refused the request itself."""

    code = "model-refused"
    message = "The vendor refused the request."


class ModelContextExceeded(ModelError):
    """The request is longer than the model's context."""

    code = "model-context-exceeded"
    message = "The request is longer than the model can take."
    hint = "Lower the application's maximum context, or choose a model with a longer one."


class ModelQuota(ModelError):
    """The account has no money or quota left."""

    code = "model-quota"
    message = "The vendor's quota for this key is used up."
    hint = "Top up the account at the vendor, or choose another model."


class ModelRateLimited(ModelError):
    """Too many requests; `details.retry_after_s` tells when to come back, if the vendor said so."""

    code = "model-rate-limited"
    status = 503
    message = "The vendor limits how often this model may be asked."
    hint = "Try again in a moment."


class ModelTimeout(ModelError):
    """No answer, or no further part of it, came in time."""

    code = "model-timeout"
    status = 504
    message = "The model did not answer in time."
    hint = "Try again, or raise the model's timeout_s."


class ModelUnavailable(ModelError):
    """The vendor's server failed or cannot be reached."""

    code = "model-unavailable"
    status = 503
    message = "The model's server cannot be reached or failed."
    hint = "Check the base URL and whether the server runs; then try again."


class ModelBadResponse(ModelError):
    """What came back is not what the protocol says."""

    code = "model-bad-response"
    message = "The model's server sent something that is no valid answer."
    hint = "Check that the base URL is an OpenAI-compatible one."


class ModelInterrupted(ModelError):
    """The answer broke off before its end."""

    code = "model-interrupted"
    message = "The model's answer broke off."
    hint = "Try again."


class UnknownWire(ModelError):
    """A model's vendor is spoken to in a format that this version does not know."""

    code = "model-wire-unknown"
    status = 422
    message = "This version does not know how to speak to the model's vendor."
    hint = "Choose another vendor for the model, or OpenAI-compatible if its server is."


class TrialIncomplete(Invalid):
    """A try-out lacks what a model of this kind works on; `details.needed` names it."""

    code = "trial-incomplete"
    message = "Something that a model of this kind needs is missing."
    hint = "Give it a text, texts, a recording or a picture, as `details.needed` says."


class RecordingUnsupported(Invalid):
    """The model takes recordings in another container only; `details.media_type` is what it was given."""

    code = "recording-unsupported"
    message = "This model cannot read recordings of that format."
    hint = "Send WAV with 16 bit or MP3, or choose another model for speech."


class UnknownFilm(NotFound):
    """No film by that id in this workspace, or it is older than a week."""

    code = "unknown-film"
    message = "There is no such film in this workspace."


class FilmNotReady(Conflict):
    """The film is not made yet, or never will be; `details.stage` tells."""

    code = "film-not-ready"
    message = "This film is not there."


class UnknownModel(NotFound):
    """No model by that id in this workspace."""

    code = "unknown-model"
    message = "There is no such model in this workspace."


class WrongModelKind(Invalid):
    """The model is of another kind than the call needs."""

    code = "wrong-model-kind"
    message = "This model is of the wrong kind for that."


class ModelNameTaken(Conflict):
    """Two models of a workspace cannot have one name."""

    code = "model-name-taken"
    message = "A model of this name exists already."


class ModelInUse(Conflict):
    """Knowledge bases are indexed with this model."""

    code = "model-in-use"
    message = "Knowledge bases are indexed with this model."
    hint = "Delete those knowledge bases, or give them another model, first."


class EmbeddedModelFixed(Conflict):
    """The embedded model comes with the software and can be neither changed nor deleted."""

    code = "embedded-model-fixed"
    message = "The embedded model can be neither changed nor deleted."


class NoModel(Invalid):
    """The workspace has no model of the kind that is needed."""

    code = "no-model"
    message = "No model of the needed kind is connected."
    hint = "Connect one on the page Models."
