"""The catalogue as the page shows it: what to choose from when a model is added."""

from functools import lru_cache

from refdesk.gateway.kinds import KINDS
from refdesk.gateway.schemas import Offering, Preset, VendorName
from refdesk.gateway.vendors import Vendor, vendors


@lru_cache(maxsize=1)
def presets() -> tuple[Preset, ...]:
    """All vendors, as shown."""
    return tuple(_shown(vendor) for vendor in vendors().values())


def _shown(vendor: Vendor) -> Preset:
    kinds = sorted(vendor.kinds, key=KINDS.index)
    return Preset(
        id=vendor.id,
        name=vendor.name.en,
        names=VendorName(en=vendor.name.en, zh=vendor.name.zh),
        group=vendor.group,
        base_url=vendor.address,
        regions=vendor.regions,
        needs_key=vendor.needs_key,
        key_format=vendor.key_format,
        lists_models=vendor.lists_models,
        docs=vendor.docs,
        note=VendorName(en=vendor.note.en, zh=vendor.note.zh) if vendor.note else None,
        kinds=kinds,
        example_models={kind: offer.models[0] for kind, offer in vendor.kinds.items() if offer.models},
        offers=[
            Offering(
                kind=kind,
                models=list(vendor.kinds[kind].models),
                voices=list(vendor.kinds[kind].voices),
                sizes=list(vendor.kinds[kind].sizes),
            )
            for kind in kinds
        ],
    )
