/**
 * {@code sluice load}: fills a packets topic with blocks, at a rate or as fast as it can.
 *
 * <p>A {@link dev.sluice.lab.load.HeaderSource} gives headers, pass by pass; {@link
 * dev.sluice.lab.load.BlockCutter} makes blocks of one flow shard of them. Where they fit into
 * memory, {@link dev.sluice.lab.load.BlockCycle} keeps those of a few passes, and they go round and
 * round; else {@link dev.sluice.lab.load.BlockStream} reads the source again and again. Either is a
 * {@link dev.sluice.lab.load.BlockFeed} for each of the {@link dev.sluice.lab.load.LoadSender}s,
 * which write numbers and times into the blocks ({@link dev.sluice.schemas.codec.RepeatedBlock})
 * and send each when {@link dev.sluice.lab.load.Pacer} says. Headers are counted from 1 on in the
 * order of the load; that number is the packet's, and tells when it is due.
 *
 * <p>A flow shard belongs to one sender, so that its packets stay in order.
 *
 * <p>{@link dev.sluice.lab.load.RuleLoad} is a load of rule changes, for benchmarks.
 */
@NullMarked
package dev.sluice.lab.load;

import org.jspecify.annotations.NullMarked;
