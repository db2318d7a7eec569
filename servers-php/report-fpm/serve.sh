#!/bin/bash
# Runs PHP-FPM and Apache httpd as one server: they start in this order, and end together. start.php sets the variables.

set -m            # Each has a process group of its own: what a terminal signals comes here alone.
ulimit -S -n 8192 # httpd has 3,072 connections to clients and 1,024 to the pool.

# #region server.stop
# SIGTERM: requests in flight are answered; what is left after 8 s is cut.
stop() {
    trap '' TERM INT
    [[ -e $PID_FILE ]] || exit 0 # httpd does not know SIGWINCH yet.
    for ((tenths = 0; tenths < 80; tenths++)); do
        [[ -e $PID_FILE ]] && kill -WINCH "$httpd" # It deletes the file when it has heard.
        kill -0 "$httpd" || break
        sleep 0.1
    done 2> /dev/null
    exit 0
}

end() {
    # A signal may come before a variable is set; the processes of a pool outlive a master that was killed.
    for group in $(jobs -p) $httpd $fpm; do
        kill -KILL "-$group"
    done
    wait
    rm -f "$PID_FILE" "$FPM_SOCKET"
} 2> /dev/null

trap stop TERM INT
trap end EXIT
# #endregion server.stop

setpriv --pdeathsig TERM /usr/sbin/php-fpm8.2 --nodaemonize --fpm-config "$SERVER_ROOT/fpm.conf" -c "$SERVER_ROOT" &
fpm=$!
until [[ -S $FPM_SOCKET ]]; do
    kill -0 "$fpm" 2> /dev/null || exit 1
    sleep 0.01
done

setpriv --pdeathsig TERM /usr/sbin/apache2 -D FOREGROUND -f "$SERVER_ROOT/apache.conf" &
httpd=$!
wait -n
exit 1 # Nobody has told it to end.
