/**
 * {@code sluice load}: fills a packets topic with blocks, at a rate or as fast as it can.
 *
 * <p>{@link dev.sluice.lab.load.LoadHeaders} takes headers from a trace, from rules or from
 * captures. {@link dev.sluice.lab.load.BlockCycle} makes blocks of some passes over them, which are
 * sent again and again. Each {@link dev.sluice.lab.load.LoadSender} writes numbers and times into
 * its blocks ({@link dev.sluice.lab.load.RepeatedBlock}) and sends each block when {@link
 * dev.sluice.lab.load.Pacer} says. A packet's number is its place in the load, from 1, and tells
 * when the packet is due.
 *
 * <p>A flow shard belongs to one sender, so that its packets stay in order.
 *
 * <p>{@link dev.sluice.lab.load.RuleLoad} publishes rule changes, for benchmarks.
 */
@NullMarked
package dev.sluice.lab.load;

import org.jspecify.annotations.NullMarked;
