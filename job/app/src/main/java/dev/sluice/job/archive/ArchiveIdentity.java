package dev.sluice.job.archive;

import dev.sluice.job.capture.TagDepth;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.policy.io.SluiceException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.flink.runtime.jobgraph.JobGraph;

/**
 * What a job has to have in common with the one from whose savepoint it goes on, as the uids of its
 * operators: a savepoint names them, and Flink gives no state to an operator of another uid.
 *
 * @param captures uid of the source: how many captures, and which
 * @param judge uid of what judges them: rules, and what packets' headers are taken to be
 * @param verdicts uid of the sink: form of the files, and their folder
 */
record ArchiveIdentity(String captures, String judge, String verdicts) {
    private static final String CAPTURES = SavedJob.CAPTURES_SOURCE + " of ";
    private static final String JUDGE = "classify by ";
    private static final String VERDICTS = "verdicts-sink of ";
    private static final String TO = " to ";

    /** Bytes of a digest that are kept. */
    private static final int DIGEST = 8;

    /** Of a job with these options. */
    static ArchiveIdentity of(ArchiveOptions options) {
        MessageDigest captures = digest();
        for (CaptureFile capture : options.captures()) {
            add(captures, capture.name());
            add(captures, capture.location());
        }
        MessageDigest judge = digest();
        ArchiveRules.messages("", "", options.rules()).forEach(judge::update);
        add(judge, options.parsing().headers().name());
        if (options.parsing().tags() != TagDepth.ALL) {
            add(
                    judge,
                    options.parsing().tags().name()); // jobs from before it could be chosen go on
        }
        add(judge, String.valueOf(options.inPort()));
        return new ArchiveIdentity(
                CAPTURES + options.captures().size() + ", " + end(captures),
                JUDGE + end(judge),
                VERDICTS
                        + options.form().name().toLowerCase(Locale.ROOT)
                        + TO
                        + options.verdicts());
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static void add(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0); // no file's name has it
    }

    private static String end(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest(), 0, DIGEST);
    }

    /**
     * Fails where this job cannot go on from there.
     *
     * @param job its graph
     * @throws SluiceException with what differs, and what to say
     */
    void requireGoesOn(SavedJob saved, JobGraph job) {
        if (saved.uid(SluiceJob.PACKETS_SOURCE).isPresent()) {
            throw new SluiceException(
                    "%s is of a job on Kafka: leave out --captures".formatted(saved.folder()));
        }
        saved.uid(CAPTURES).ifPresent(there -> requireCaptures(saved, there));
        saved.uid(JUDGE).ifPresent(there -> requireJudge(saved, there));
        saved.uid(VERDICTS).ifPresent(there -> requireVerdicts(saved, there));
        saved.requireOperators(job);
    }

    private void requireCaptures(SavedJob saved, String there) {
        if (there.equals(captures)) {
            return;
        }
        String were = count(there);
        String are = count(captures);
        throw new SluiceException(
                "%s is of a job on %s, and --captures finds %s: have it find the same ones, by the same names; others are for a job of their own"
                        .formatted(
                                saved.folder(), amount(were), were.equals(are) ? "others" : are));
    }

    private static String count(String uid) {
        return uid.substring(CAPTURES.length(), uid.indexOf(','));
    }

    private static String amount(String count) {
        return count + (count.equals("1") ? " capture" : " captures");
    }

    private void requireJudge(SavedJob saved, String there) {
        if (!there.equals(judge)) {
            throw new SluiceException(
                    "%s is of a job that judges by other rules (--rules, --actions, --ports, --default-action) or other headers (--headers, --tags, --in-port): say what that had, so that all verdicts are by the same; other rules are for a job of their own"
                            .formatted(saved.folder()));
        }
    }

    private void requireVerdicts(SavedJob saved, String there) {
        if (there.equals(verdicts)) {
            return;
        }
        int to = there.indexOf(TO, VERDICTS.length());
        throw new SluiceException(
                "%s is of a job whose verdicts go to %s, as %s: say --verdicts and --format so"
                        .formatted(
                                saved.folder(),
                                there.substring(to + TO.length()).replaceFirst("^file:/*", "/"),
                                there.substring(VERDICTS.length(), to)));
    }
}
