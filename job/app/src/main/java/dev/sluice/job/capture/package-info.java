/**
 * Readers and writers of capture files, and the parser of packets to header words.
 *
 * <p>{@link dev.sluice.job.capture.CaptureReader} streams pcap and pcapng, compressed or not, with
 * constant memory. {@link dev.sluice.job.capture.PacketParser} parses each packet's link layer,
 * tags, tunnels, IP header and ports; {@link dev.sluice.job.capture.CaptureBatch} collects the
 * headers for an engine. {@link dev.sluice.job.capture.CaptureWriter} writes selected packets as a
 * capture.
 *
 * <p>No content of a file makes these classes throw: each packet gets a {@link
 * dev.sluice.job.capture.PacketStatus}, each file a {@link dev.sluice.job.capture.CaptureEnd}.
 */
@NullMarked
package dev.sluice.job.capture;

import org.jspecify.annotations.NullMarked;
