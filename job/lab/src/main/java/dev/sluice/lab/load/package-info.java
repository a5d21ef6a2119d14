/**
 * {@code sluice load}: fills a packets topic with blocks, at a rate or as fast as it can.
 *
 * <p>{@link dev.sluice.lab.load.LoadHeaders} are the headers of a trace, of rules or of captures;
 * {@link dev.sluice.lab.load.BlockCycle} makes blocks of one flow shard of a few passes over them,
 * which go round and round. Each {@link dev.sluice.lab.load.LoadSender} writes numbers and times
 * into its blocks ({@link dev.sluice.schemas.codec.RepeatedBlock}) and sends each when {@link
 * dev.sluice.lab.load.Pacer} says. Headers are counted from 1 on in the order of the load; that
 * number is the packet's, and tells when it is due.
 *
 * <p>A flow shard belongs to one sender, so that its packets stay in order.
 *
 * <p>{@link dev.sluice.lab.load.RuleLoad} is a load of rule changes, for benchmarks.
 */
@NullMarked
package dev.sluice.lab.load;

import org.jspecify.annotations.NullMarked;
