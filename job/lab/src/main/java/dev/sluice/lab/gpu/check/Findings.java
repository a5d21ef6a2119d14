package dev.sluice.lab.gpu.check;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** The one comparison of verdicts with the right ones, which counts. Thread-safe. */
final class Findings {
    private final LongAdder compared = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final Queue<Unchecked> unchecked = new ConcurrentLinkedQueue<>();

    /** Something that was not checked, and why. */
    record Unchecked(String where, String what, String reason) {}

    long compared() {
        return compared.sum();
    }

    long wrong() {
        return wrong.sum();
    }

    /** Returns an exception's message as one line. */
    static String reason(RuntimeException e) {
        return oneLine(String.valueOf(e.getMessage()));
    }

    /** A text without its line breaks. */
    static String oneLine(String text) {
        return text.replaceAll("\\s*\\R\\s*", " ");
    }

    /** Everything that was left out, in the order of the checks. */
    List<Unchecked> unchecked() {
        return List.copyOf(unchecked);
    }

    void add(long comparedVerdicts, long wrongVerdicts) {
        compared.add(comparedVerdicts);
        wrong.add(wrongVerdicts);
    }

    void add(Findings others) {
        add(others.compared(), others.wrong());
        unchecked.addAll(others.unchecked());
    }

    /**
     * Notes something that is not checked.
     *
     * @param where the rule set or the check
     * @param what an algorithm or a kernel
     * @param reason why, without line breaks
     */
    void leaveOut(String where, String what, String reason) {
        unchecked.add(new Unchecked(where, what, reason));
    }

    /**
     * Compares positions of rules in the total order, -1 for none.
     *
     * @param expected for the same headers; more are left alone
     */
    void compare(int[] found, int[] expected) {
        long differ = 0;
        for (int i = 0; i < found.length; i++) {
            differ += found[i] == expected[i] ? 0 : 1;
        }
        add(found.length, differ);
    }
}
