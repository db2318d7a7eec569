package org.samewire.chat;

record Message(long id, String user, String text) {}
