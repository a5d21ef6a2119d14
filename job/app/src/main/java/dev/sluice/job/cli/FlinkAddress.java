package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;

/** REST endpoint of a running Flink cluster. */
record FlinkAddress(String host, int port) {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int MOST_PORT = 65_535;

    /**
     * Reads the value of {@code --flink}.
     *
     * @throws UsageException if it is no {@code HOST:PORT}
     */
    static FlinkAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1
                || !text.substring(colon + 1).matches("\\d{1,5}")
                || Integer.parseInt(text.substring(colon + 1)) > MOST_PORT) {
            throw new UsageException(
                    "--flink "
                            + text
                            + " is no address; write HOST:PORT of the JobManager's REST endpoint");
        }
        return new FlinkAddress(
                text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /**
     * Connects once: Flink's own client tries for more than a minute before it gives up.
     *
     * @throws SluiceException if nobody answers within seconds
     */
    void requireAnswer() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
        } catch (IOException e) {
            throw new SluiceException(
                    "nobody answers at --flink %s (%s); start the cluster, or name its REST endpoint"
                            .formatted(
                                    this,
                                    e instanceof UnknownHostException
                                            ? "the host is unknown"
                                            : e.getMessage()),
                    e);
        }
    }

    /** As it is given: {@code HOST:PORT}. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
