package dev.sluice.policy.anonymize;

/** Cipher of the lines of a policy: every line is noted before the first one is replaced. */
interface NameCipher {
    /** Notes what a line tells about names. */
    void note(String line);

    /** The line under other names. */
    String of(String line);
}
