"""A whole campaign in one readable file: robot, design, recordings, preprocessing, methods, validation and report.

``optid run campaign.toml`` works through it, keeps what is done, and goes on where it was stopped. Every key is explained by ``optid run --schema``.
"""

from .plan import STEPS, Plan, plan_campaign
from .read import CampaignFile, read_campaign
from .reference import schema_text
from .run import CampaignResult, run_campaign
from .schema import Campaign
from .tasks import Task
from .template import campaign_text, new_campaign

__all__ = [
    "STEPS",
    "Campaign",
    "CampaignFile",
    "CampaignResult",
    "Plan",
    "Task",
    "campaign_text",
    "new_campaign",
    "plan_campaign",
    "read_campaign",
    "run_campaign",
    "schema_text",
]
