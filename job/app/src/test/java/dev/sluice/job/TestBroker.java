package dev.sluice.job;

import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.replay.TemporaryDirectory;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real broker for a class of tests, which registers it in a static field. It starts before the
 * first of them, and is gone with its data behind the last.
 */
public final class TestBroker implements BeforeAllCallback, AfterAllCallback {
    private TemporaryDirectory data;
    private EmbeddedBroker broker;

    @Override
    public void beforeAll(ExtensionContext tests) {
        data = new TemporaryDirectory(TemporaryDirectory.parent());
        broker = EmbeddedBroker.start(data.path(), 0);
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        broker.close();
        data.close();
    }

    /** HOST:PORT of the broker. */
    public String bootstrap() {
        return broker.bootstrap();
    }

    /** A client of the broker's administration. */
    public Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap()));
    }

    /** Stops the broker, runs what a test does without it, and starts it with its data again. */
    public void away(Runnable meanwhile) {
        int port = Integer.parseInt(bootstrap().split(":")[1]);
        broker.close();
        try {
            meanwhile.run();
        } finally {
            broker = EmbeddedBroker.start(data.path(), port);
        }
    }
}
