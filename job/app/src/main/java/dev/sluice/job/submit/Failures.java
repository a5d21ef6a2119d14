package dev.sluice.job.submit;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.kafka.KafkaRefusal;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** The most telling message of a failure's chain. */
public final class Failures {
    private Failures() {}

    /** Tells whether a failure's message is complete for a user. */
    public static boolean isPlain(Throwable failure) {
        return failure instanceof SluiceException
                || failure instanceof MemoryBudgetException
                || failure instanceof UnsupportedRulesException
                || failure instanceof GpuException;
    }

    /** A line for a failure; more for one of several defects. */
    public static List<String> lines(Throwable failure) {
        Throwable told = failure;
        while (told != null && !isPlain(told)) {
            told = told.getCause();
        }
        return told instanceof SluiceException defects
                ? defects.lines()
                : List.of(describe(failure));
    }

    static String describe(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (isPlain(t)) {
                return String.valueOf(t.getMessage());
            }
            String refused = KafkaRefusal.said(t);
            if (refused != null) {
                return refused;
            }
            String text = String.valueOf(t.getMessage());
            if (text.contains("No space left on device")) {
                return "no space left on the disk; free some, or set TMPDIR or --temp-dir to a larger one";
            }
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof NoSuchFileException) {
            return root.getMessage() + " does not exist; check the path";
        }
        if (root instanceof OutOfMemoryError) {
            return "out of memory; give the Java process more with SLUICE_JAVA_OPTS=-Xmx4g";
        }
        String text = root.getMessage();
        return text == null
                ? root.getClass().getSimpleName()
                : text.lines().findFirst().orElse(text);
    }
}
