/**
 * OpenFlow flows as Open vSwitch's tools print and take them: {@link
 * dev.sluice.policy.openflow.OpenFlowFormat} goes through a dump, {@link
 * dev.sluice.policy.openflow.FlowLine} through a flow, {@link
 * dev.sluice.policy.openflow.FlowFields} reads its fields into a {@link
 * dev.sluice.policy.openflow.FlowMatch}.
 */
@NullMarked
package dev.sluice.policy.openflow;

import org.jspecify.annotations.NullMarked;
