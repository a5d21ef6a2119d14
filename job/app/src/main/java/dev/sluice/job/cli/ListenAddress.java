package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** The address of this machine that a process listens on, under which others reach it. */
final class ListenAddress {
    private ListenAddress() {}

    /**
     * Refuses what others do not reach.
     *
     * @throws UsageException naming {@code --host}, its value and the remedy
     */
    static void require(String host) {
        try {
            if (InetAddress.getByName(host).isAnyLocalAddress()) {
                throw new UsageException(
                        "--host "
                                + host
                                + " is no address that clients reach; name one of this machine");
            }
        } catch (UnknownHostException e) {
            throw new UsageException(
                    "--host " + host + " is not known; name one of this machine", e);
        }
    }
}
