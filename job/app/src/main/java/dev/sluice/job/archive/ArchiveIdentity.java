package dev.sluice.job.archive;

import dev.sluice.job.capture.TagDepth;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.policy.io.SluiceException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.flink.runtime.jobgraph.JobGraph;

/**
 * Identity of an archive's job, as the uids of its operators.
 *
 * <p>A job resumes only from a savepoint of a job with the same identity: the savepoint contains
 * the uids, and Flink restores no state into an operator of another uid.
 *
 * @param captures uid of the source: number and names of the captures
 * @param judge uid of the classifier: rules and parser options
 * @param verdicts uid of the sink: form of the files, and their folder
 */
record ArchiveIdentity(String captures, String judge, String verdicts) {
    private static final String CAPTURES = SavedJob.CAPTURES_SOURCE + " of ";
    private static final String JUDGE = "classify by ";
    private static final String VERDICTS = "verdicts-sink of ";
    private static final String TO = " to ";

    /** Number of bytes kept of a digest. */
    private static final int DIGEST = 8;

    /** Returns the identity of a job with these options. */
    static ArchiveIdentity of(ArchiveOptions options) {
        MessageDigest captures = DigestUtils.getSha256Digest();
        for (CaptureFile capture : options.captures()) {
            add(captures, capture.name());
            add(captures, capture.location());
        }
        MessageDigest judge = DigestUtils.getSha256Digest();
        ArchiveRules.messages("", "", options.rules()).forEach(judge::update);
        add(judge, options.parsing().headers().name());
        if (options.parsing().tags() != TagDepth.ALL) {
            add(judge, options.parsing().tags().name()); // the default has no part in the digest
        }
        add(judge, String.valueOf(options.inPort()));
        if (options.facts() != null) {
            add(judge, options.facts().identity());
        }
        return new ArchiveIdentity(
                CAPTURES + options.captures().size() + ", " + end(captures),
                JUDGE + end(judge),
                VERDICTS
                        + options.form().name().toLowerCase(Locale.ROOT)
                        + TO
                        + options.verdicts());
    }

    private static void add(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0); // occurs in no file's name
    }

    private static String end(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest(), 0, DIGEST);
    }

    /**
     * Fails if this job cannot resume from a savepoint.
     *
     * @param job its graph
     * @throws SluiceException naming the difference and its remedy
     */
    void requireGoesOn(SavedJob saved, JobGraph job) {
        if (saved.uid(SluiceJob.PACKETS_SOURCE).isPresent()) {
            throw new SluiceException(
                    "%s is of a job on Kafka; go on from it by sluice run"
                            .formatted(saved.folder()));
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
                "%s is of a job on %s, but the captures named are %s; name the same captures in the same way, or start a new job for others"
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
                    "%s is of a job with other rules (--rules, --actions, --ports, --default-action) or other headers (--headers, --tags, --in-port, --interfaces); give the values of that job, or start a new job for other rules"
                            .formatted(saved.folder()));
        }
    }

    private void requireVerdicts(SavedJob saved, String there) {
        if (there.equals(verdicts)) {
            return;
        }
        int to = there.indexOf(TO, VERDICTS.length());
        throw new SluiceException(
                "%s is of a job whose verdicts go to %s as %s; give --verdicts and --format accordingly"
                        .formatted(
                                saved.folder(),
                                there.substring(to + TO.length()).replaceFirst("^file:/*", "/"),
                                there.substring(VERDICTS.length(), to)));
    }
}
