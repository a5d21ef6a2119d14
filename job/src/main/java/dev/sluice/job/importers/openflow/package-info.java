/**
 * OpenFlow flows as Open vSwitch's tools print and take them: {@link
 * dev.sluice.job.importers.openflow.OpenFlowFormat} goes through a dump, {@link
 * dev.sluice.job.importers.openflow.FlowLine} through a flow, {@link
 * dev.sluice.job.importers.openflow.FlowFields} reads its fields into a {@link
 * dev.sluice.job.importers.openflow.FlowMatch}.
 */
@NullMarked
package dev.sluice.job.importers.openflow;

import org.jspecify.annotations.NullMarked;
