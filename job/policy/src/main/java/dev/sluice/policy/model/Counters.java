package dev.sluice.policy.model;

/** Packets and bytes that the device itself counted for a rule. */
public record Counters(long packets, long bytes) {}
