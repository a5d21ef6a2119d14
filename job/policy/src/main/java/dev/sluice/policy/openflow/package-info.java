/**
 * OpenFlow flows as Open vSwitch's tools print and accept them. {@link
 * dev.sluice.policy.openflow.OpenFlowFormat} reads a dump, {@link
 * dev.sluice.policy.openflow.FlowLine} a flow; {@link dev.sluice.policy.openflow.FlowFields}
 * collects the flow's fields in a {@link dev.sluice.policy.openflow.FlowMatch}.
 */
@NullMarked
package dev.sluice.policy.openflow;

import org.jspecify.annotations.NullMarked;
