package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import org.jspecify.annotations.Nullable;

/** Failed authentication or authorization by Kafka, which a retry does not mend. */
public final class KafkaRefusedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    KafkaRefusedException(String message, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
    }
}
