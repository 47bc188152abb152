"""Plants that give way where the controller does not know it: a soft stand, a link that bends. Each is one more joint with a spring and without a motor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from optid.errors import DataError, sentence, unknown_name
from optid.model.arguments import instance, positive, real
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import ElasticJoint
from optid.robot import Drive, Joint, Limits, Link
from optid.robot.transform import vector3

AXIS = (0.0, 1.0, 0.0)


def on_stand(
    model: FlexibleModel, stiffness: float, damping: float = 0.0, axis: Sequence[float] = AXIS, inertia: float = 1.0, name: str = "stand"
) -> FlexibleModel:
    """The same arm on a stand that tilts.

    Parameters
    ----------
    stiffness : float [N m/rad]
    damping : float [N m s/rad]
    axis : (3,)
        Of the tilt, through the origin of the base frame.
    inertia : float [kg m²]
        Of the stand itself, about every axis.
    name : str
        Of the new joint, the first one.

    Examples
    --------
    >>> from optid.flexibility import linearise, on_stand, set_a
    >>> [linearise(on_stand(set_a(), k), (0, 0, 0)).antiresonances()[0].round(2).item() for k in (1e12, 5e6)]  # Hz: stiff, soft
    [7.16, 6.42]
    """
    instance(model, FlexibleModel, "arm on a stand")
    size = positive(inertia, "inertia of a stand", "a finite number above 0 [kg m²]")
    stand = Joint(name, axis=vector3(axis, "axis of a stand"))
    return _with_joint(model, 0, stand, Link(name, inertia=(size, 0, 0, size, 0, size)), ElasticJoint.passive(stiffness, damping))


def with_bending_link(
    model: FlexibleModel, joint: str, stiffness: float, damping: float = 0.0, axis: Sequence[float] = AXIS, root: float = 0.1, name: str = ""
) -> FlexibleModel:
    """The same arm with a link that bends at its root, about an axis through the joint that moves it.

    Parameters
    ----------
    joint : str
        Name of the joint that moves the link.
    stiffness : float [N m/rad]
    damping : float [N m s/rad]
    axis : (3,)
        In the frame of the joint (that in which the joint's own axis is given).
    root : float
        Share of the link's mass and inertia on the near side of the bend, between 0 and 1.
    name : str
        Of the new joint, which follows ``joint``; by default ``<joint>_bend``.

    Examples
    --------
    >>> from optid.flexibility import linearise, set_a, with_bending_link
    >>> [linearise(with_bending_link(set_a(), "axis3", k), (0, 0, 0)).antiresonances()[0].round(2).item() for k in (1e12, 1e6)]  # Hz: stiff, soft
    [7.16, 6.72]
    """
    instance(model, FlexibleModel, "arm with a bending link")
    robot = model.robot
    if joint not in robot.joint_names:
        raise unknown_name("joint of a bending link", joint, robot.joint_names)
    if not 0 < real(root, "root of a bending link") < 1:
        raise DataError(sentence("root of a bending link", root, "a share between 0 and 1"))
    place = robot.independent[robot.joint_names.index(joint)]
    whole = robot.links[place]
    near, far = (_share(whole, part, end) for part, end in ((root, ""), (1 - root, " beyond its bend")))
    short = replace(model, robot=robot.with_links((*robot.links[:place], near, *robot.links[place + 1 :])))
    after = robot.joints[place].after
    bend = Joint(name or f"{joint}_bend", before=after.inverse(), axis=vector3(axis, "axis of a bend"), after=after)
    return _with_joint(short, place + 1, bend, far, ElasticJoint.passive(stiffness, damping))


def _share(link: Link, share: float, end: str) -> Link:
    """A share of a link, spread like the whole."""
    scaled = (share * np.array(values) for values in (link.first_moment, link.inertia))
    return Link(f"{link.name}{end}", share * link.mass, *(tuple(values.tolist()) for values in scaled))


def _with_joint(model: FlexibleModel, place: int, joint: Joint, link: Link, spring: ElasticJoint) -> FlexibleModel:
    """A joint without motor at a place of the chain, its link behind it."""
    robot = model.robot
    at = sum(i < place for i in robot.independent)
    coupling = None
    if robot.coupling is not None:
        others = [j for j in range(robot.n + 1) if j != at]
        coupling = np.eye(robot.n + 1)
        coupling[np.ix_(others, others)] = robot.C
    changed = replace(
        robot,
        joints=(*robot.joints[:place], joint, *robot.joints[place:]),
        links=(*robot.links[:place], link, *robot.links[place:]),
        drives=(*robot.drives[:at], Drive(), *robot.drives[at:]),
        mimic=tuple(replace(m, joint=m.joint + (m.joint >= place), source=m.source + (m.source >= place)) for m in robot.mimic),
        limits=Limits.of(robot.n + 1),
        coupling=None,
    )
    return FlexibleModel(changed.with_coupling(coupling), (*model.joints[:at], spring, *model.joints[at:]))
