package dev.sluice.policy.model;

import java.util.Locale;

/** State that connection tracking gives a packet. */
public enum ConnectionState {
    NEW,
    ESTABLISHED,
    RELATED,
    INVALID,
    UNTRACKED;

    /** The word that users read, as in {@code --assume}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
