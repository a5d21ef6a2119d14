package dev.sluice.policy.model;

/** State that connection tracking gives a packet. */
public enum ConnectionState {
    NEW,
    ESTABLISHED,
    RELATED,
    INVALID,
    UNTRACKED
}
