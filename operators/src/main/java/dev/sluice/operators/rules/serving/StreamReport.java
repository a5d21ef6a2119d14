package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.rules.serving.PendingVersions.Step;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Report of a rule stream on itself: figures, dead letters, and lines of the log. Used by the
 * stream's thread, but for {@link #figures()}.
 */
final class StreamReport {
    /** Time after which packets that still wait for rules are mentioned again. */
    static final long REMINDER_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(StreamReport.class);

    private final String name;
    private final boolean awaited;
    private final List<DeadLetter> letters = new ArrayList<>();
    private volatile VersionService.Figures figures = VersionService.Figures.NONE;
    private long reminded = System.nanoTime();
    private long refused;
    private long dropped;
    private int histories;
    private String lastRefusal = "";

    /**
     * A report of nothing so far.
     *
     * @param name of the stream
     * @param awaited whether packets wait for its rules
     */
    StreamReport(String name, boolean awaited) {
        this.name = name;
        this.awaited = awaited;
    }

    /** Figures that were told last, without those of the engine. */
    VersionService.Figures figures() {
        return figures;
    }

    /** A checkpoint held rules. */
    void restored(long version) {
        LOG.info("rules of {} restored: version {}", name, version);
    }

    /** The bootstrap begins to read. */
    void reads(boolean madeAnew) {
        if (madeAnew) {
            LOG.warn(
                    "the rules topic of {} was made anew since its checkpoint: it is read from its newest snapshot on",
                    name);
        } else {
            LOG.info("{} waits for the first rules", name);
        }
    }

    /** A version is in force. */
    void inForce(ServedVersion version, boolean built) {
        if (built) {
            LOG.info("rules of {} in force: {}", name, version);
        } else {
            LOG.debug("rules of {} in force: {}", name, version);
        }
    }

    /** A version was made of the history, or of another that has replaced it. */
    void followed(Version made) {
        if (made.newHistory()) {
            histories++;
            LOG.warn(
                    "the rules topic of {} was made anew: its history begins with version {}",
                    name,
                    made.number());
        }
    }

    /** Tells where the stream stands. */
    void figures(long wanted, long inForce, int pending) {
        figures =
                new VersionService.Figures(
                        wanted, inForce, pending, refused, dropped, histories, EngineFigures.NONE);
    }

    /**
     * A message was dropped.
     *
     * @param reports whether nothing else makes a dead letter of it
     */
    void dropped(MalformedMessageException e, boolean reports) {
        dropped++;
        LOG.warn("a rule transaction was dropped: {}: {}", e.reason(), e.detail());
        if (reports) {
            letters.add(new DeadLetter(e, null));
        }
    }

    /** A record was dropped that is no message of rules. */
    void unreadable(DeadLetter letter) {
        dropped++;
        LOG.warn("a record of the rules topic was dropped: {}", letter);
        letters.add(letter);
    }

    /**
     * A version cannot be served.
     *
     * @param again whether that was reported before the checkpoint that was restored
     * @param stays whether a version before is in force
     */
    void refused(Step step, RuntimeException why, boolean again, boolean stays) {
        refused++;
        lastRefusal = String.valueOf(why.getMessage());
        if (again) {
            LOG.info(
                    "version {} of the rules of {} still cannot be served, as was reported: {}",
                    step.version(),
                    name,
                    lastRefusal);
            return;
        }
        LOG.warn(
                "version {} of the rules of {} cannot be served, and {}: {}",
                step.version(),
                name,
                stays ? "the one before stays in force" : "none before it is in force",
                lastRefusal);
        letters.add(new RefusedVersion(step.version(), step.history(), lastRefusal).toDeadLetter());
    }

    /** Says in the log, again and again, that packets wait for rules. */
    void remind() {
        if (System.nanoTime() - reminded < TimeUnit.MILLISECONDS.toNanos(REMINDER_MILLIS)) {
            return;
        }
        reminded = System.nanoTime();
        if (figures.inForce() < 0) {
            LOG.warn(
                    "packets of {} {}: {}",
                    name,
                    awaited ? "wait for rules" : "are not compared",
                    figures.wanted() < 0
                            ? "the rules topic holds no complete snapshot yet; publish one"
                            : "version " + figures.wanted() + " cannot be served: " + lastRefusal);
        }
    }

    /** Tells whether there are dead letters that nobody has taken. */
    boolean hasLetters() {
        return !letters.isEmpty();
    }

    /** The dead letters, each once. */
    List<DeadLetter> takeLetters() {
        List<DeadLetter> all = List.copyOf(letters);
        letters.clear();
        return all;
    }
}
