package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import org.jspecify.annotations.Nullable;

/** A refusal of Kafka's that waiting does not mend: who comes, or what he may do, must change. */
public final class KafkaRefusedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    KafkaRefusedException(String message, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
    }
}
